// Runs a crawl with its log: what is said on standard error is in it, and so is why the crawl could not begin.
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf, sleepUntil } from '@avocet/core/store'
import type { ExitCode } from '@avocet/project/command'
import { CrawlLog, LogFile, ROTATION } from '@avocet/project/log'
import type { CrawlOptions } from '@avocet/project/options'
import { say, type Place } from '@avocet/project/place'
import { plain, printable } from '@avocet/project/text'
import { exitCodeOfError } from '../exit-code.ts'

/** How long the end may take for lines that a disk does not take. */
const CLOSE_MS = 5_000

/** Does `work` in a place with a log, where one was asked for. Throws AVO_USAGE for a log file that is another file, or cannot be opened. */
export async function logged(options: CrawlOptions, place: Place, work: (place: Place) => Promise<ExitCode>): Promise<ExitCode> {
  if (options.log?.file !== undefined) (await import('./log-place.ts')).checkLogPlace(options, place)
  const log = logOf(options, place)
  if (log === undefined) return work(place)
  await log.begin()
  const inside = { ...place, stderr: log.stderr, log, ...(log.screen === undefined && { paint: plain }) }
  const { clock } = place
  try {
    return await work(inside)
  } catch (error) {
    const code = error instanceof AvocetError ? error.code : 'AVO_INTERNAL'
    log.write({ level: 'error', event: 'error', code, message: printable(messageOf(error)) })
    // A person is told by the one place that tells of errors.
    if (log.screen !== undefined || !(error instanceof AvocetError)) throw error
    return exitCodeOfError(error.code)
  } finally {
    await Promise.race([log.close(), sleepUntil(clock, clock.now() + CLOSE_MS)])
  }
}

function logOf({ log, logLevel: level = 'info' }: CrawlOptions, { stderr, clock, folder }: Place): CrawlLog | undefined {
  if (log === undefined || (log.file === undefined && log.format !== 'json')) return undefined
  const onStderr = log.format === 'json'
  const path = log.file && resolve(folder, log.file)
  const made: CrawlLog = new CrawlLog({
    ...{ level, clock, stderr, onStderr },
    ...(path !== undefined && { file: new LogFile({ ...ROTATION, path, clock, tell: (line) => told(line) }) }),
  })
  const told = (line: string): void => {
    if (onStderr) made.write({ level: 'warn', event: 'log-file', message: printable(line) })
    else say(stderr, printable(line))
  }
  return made
}

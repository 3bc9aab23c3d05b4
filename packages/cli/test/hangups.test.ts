// SIGHUP for a crawl with a log file: of a rotation, and of a terminal that closes.
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onHangups, type Hangups } from '../src/crawl/logged-crawl.ts'

/** A process, and what was done to it. */
function given({ terminals, platform = 'linux' }: { terminals: boolean[]; platform?: NodeJS.Platform }) {
  const events = new EventEmitter()
  const done: string[] = []
  const own = Object.assign(events, { pid: 7, platform, kill: (pid: number, signal: string) => done.push(`${signal} to ${pid}`) })
  const hangups = { process: own, hasTerminal: () => terminals.shift() ?? false } as unknown as Hangups
  const listening = onHangups(() => done.push('reopened'), hangups)
  return { events, done, listening }
}

describe('a hangup', () => {
  it('opens the log of a service anew, each time', () => {
    const { events, done } = given({ terminals: [] })
    events.emit('SIGHUP')
    events.emit('SIGHUP')

    expect(done).toEqual(['reopened', 'reopened'])
  })

  it('opens it anew in a terminal that is there still', () => {
    const { events, done } = given({ terminals: [true, true] })
    events.emit('SIGHUP')

    expect(done).toEqual(['reopened'])
  })

  it('ends the command whose terminal has closed, as it does without a log', () => {
    const { events, done } = given({ terminals: [true, false] })
    events.emit('SIGHUP')

    expect(done).toEqual(['SIGHUP to 7'])
    expect(events.listenerCount('SIGHUP')).toBe(0)
  })

  it('is left to the system once the log is closed, and on Windows', () => {
    const { events, listening } = given({ terminals: [] })
    listening?.[Symbol.dispose]()

    expect(events.listenerCount('SIGHUP')).toBe(0)
    expect(given({ terminals: [], platform: 'win32' }).events.listenerCount('SIGHUP')).toBe(0)
  })
})

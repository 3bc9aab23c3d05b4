// Fuzzes in a worker, and watches it: what takes more than 20 s for one input, or more than 1 GiB, is a finding as well.
import { Worker } from 'node:worker_threads'
import type { Finding } from './property.ts'
import { ALL_PROPERTIES } from './table.ts'
import type { Told, WorkOrder } from './worker.ts'

/** What is tried, for how long. */
export type Fuzzing = Omit<WorkOrder, 'beat'>

/** Longest that one input may take; the slowest that are right take half a second. */
const MAX_INPUT_MS = 20_000
const MAX_HEAP_MIB = 1_024
const LOOK_MS = 500

/** Fuzzes until the time is over; `heard` is told of each property that was tried. Gives all findings. */
export async function fuzz(fuzzing: Fuzzing, heard: (told: Told) => void): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let names = fuzzing.names
  for (let { seed } = fuzzing; names.length > 0; seed++) {
    const stuck = await rounds({ ...fuzzing, names, seed }, (told) => {
      if (told.tried.finding !== undefined) findings.push(told.tried.finding)
      seed = told.seed
      heard(told)
    })
    if (stuck !== undefined) {
      findings.push(stuck)
      heard({ property: stuck.property, seed: stuck.seed, tried: { runs: 0, finding: stuck } })
    }
    const found = new Set(findings.map(({ property }) => property))
    names = names.filter((name) => !found.has(name))
    if (stuck === undefined || Date.now() > fuzzing.until) break
  }
  return findings
}

/** Rounds of one worker, until they are over or one input is stuck. */
function rounds(fuzzing: Fuzzing, heard: (told: Told) => void): Promise<Finding | undefined> {
  const beat = new SharedArrayBuffer(8)
  const counters = new Int32Array(beat)
  let { seed } = fuzzing
  const here = (error: string): Finding => {
    const property = ALL_PROPERTIES[counters[0] ?? 0]?.name ?? ''
    return { property, seed, path: String(counters[1] ?? 0), input: 'see the path', error }
  }
  return new Promise((done, failed) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { ...fuzzing, beat } satisfies WorkOrder,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    })
    let stuck: Finding | undefined
    let [seen, since] = ['', Date.now()]
    const watch = setInterval(() => {
      const now = counters.join(':')
      if (now !== seen) [seen, since] = [now, Date.now()]
      else if (Date.now() - since > MAX_INPUT_MS) {
        stuck ??= here(`one input takes more than ${String(MAX_INPUT_MS / 1_000)} s`)
        clearInterval(watch)
        void worker.terminate()
      }
    }, LOOK_MS)
    worker.on('message', (told: Told) => {
      seed = told.seed
      heard(told)
    })
    worker.on('error', (error: Error & { readonly code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') stuck ??= here(`takes more than ${String(MAX_HEAP_MIB)} MiB`)
      else failed(error)
    })
    // After all else, whatever ended it.
    worker.on('exit', () => {
      clearInterval(watch)
      done(stuck)
    })
  })
}

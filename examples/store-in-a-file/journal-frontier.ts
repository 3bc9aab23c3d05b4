// A store in one file of JSON: a journal, with a line for each call that changed anything. Opened again, the calls are made again, in memory.
//
// A call is written before it is made, so what was answered is in the file. Memory asks neither a clock nor chance: every moment is an argument, so the same
// calls lead to the same state, also those that failed. A line that a crash has cut off was never answered, and is written over.
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { CANONICALISATION, type Frontier, messageOf } from '@avocet/core/store'
import { memoryFrontier } from 'avocet'

/** The first line of such a file. Another version of Avocet may tell URLs apart in another way. */
const HEAD = `${JSON.stringify({ journal: 1, canonicalisation: CANONICALISATION })}\n`

/** What JSON has no word for: `never` as a moment, and an argument that was left out. */
const WORDS: ReadonlyMap<unknown, string> = new Map([
  [Infinity, '\0Infinity'],
  [undefined, '\0undefined'],
])

/** The parts of a frontier that have calls which change something. */
interface Parts extends Pick<Frontier, 'sinks' | 'rejects'> {
  readonly frontier: Frontier
}

/** A frontier that keeps all it is told in the file at `path`. One process at a time. */
export function journalFrontier(path: string): Frontier {
  const memory = memoryFrontier()
  let isRead = false
  let journal: Journal | undefined
  /** Writes a call down, then makes it. */
  const calls = <Part extends keyof Parts>(part: Part) => {
    return <Name extends keyof Parts[Part] & string>(name: Name, ...args: unknown[]): Answer<Parts[Part][Name]> => {
      journal?.write([part, name, ...args])
      return made(memory, [part, name, ...args]) as Answer<Parts[Part][Name]>
    }
  }
  const [call, sinks, rejects] = [calls('frontier'), calls('sinks'), calls('rejects')]
  return {
    // What only asks: `reader`.
    ...memory,
    async open(spec, now) {
      const opened = new Journal(path)
      try {
        const lines = opened.read()
        // A call that failed then, fails now.
        if (!isRead) for (const line of lines) await Promise.resolve(made(memory, line)).catch(() => undefined)
        isRead = true
        const info = await memory.open(spec, now)
        opened.write(['frontier', 'open', spec, now])
        journal = opened
        return info
      } catch (error) {
        opened.close()
        throw error instanceof AvocetError ? error : new AvocetError('AVO_FRONTIER_CORRUPT', `${path}: ${messageOf(error)}`)
      }
    },
    async close() {
      await call('close')
      journal?.close()
      journal = undefined
    },
    add: async (requests) => call('add', requests),
    lease: async (want) => call('lease', want),
    refill: async (lease, n, now, putBack) => call('refill', lease, n, now, putBack),
    commit: async (units) => call('commit', units),
    inProgress: (requestIds) => call('inProgress', requestIds),
    renew: async (leases, now) => call('renew', leases, now),
    release: async (hosts) => call('release', hosts),
    retire: async (hostKey, reason, probeAt, by) => call('retire', hostKey, reason, probeAt, by),
    change: async (change) => call('change', change),
    note: async (crawlMemory) => call('note', crawlMemory),
    order: async (jsons, when) => call('order', jsons, when),
    // A sink's claim ends with the process.
    sinks: { ...memory.sinks, keep: async (record) => sinks('keep', record) },
    rejects: {
      setAside: async (refused) => rejects('setAside', refused),
      forget: async (ids) => rejects('forget', ids),
    },
  }
}

type Answer<Method> = Method extends (...args: never[]) => infer Result ? Result : never

/** A call: which part, which method, its arguments. */
type Call = readonly [part: keyof Parts, name: string, ...args: readonly unknown[]]

function made(frontier: Frontier, [part, name, ...args]: Call): unknown {
  const { sinks, rejects } = frontier
  const methods = { frontier, sinks, rejects }[part] as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>
  return methods[name]?.(...args)
}

function revived(_: string, value: unknown): unknown {
  for (const [meant, word] of WORDS) if (value === word) return meant
  return value
}

class Journal {
  readonly #path: string
  readonly #file: number
  #size = 0

  constructor(path: string) {
    this.#path = path
    try {
      this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** All calls, oldest first. */
  read(): readonly Call[] {
    const text = readFileSync(this.#file, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (!text.startsWith(HEAD) && !HEAD.startsWith(text))
      throw new AvocetError('AVO_FRONTIER_SPEC', `${this.#path}: expected a journal that begins with ${HEAD}, got another file`)
    this.#size = Buffer.byteLength(whole)
    if (whole === '') this.#append(HEAD)
    const [, ...lines] = whole.split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line, revived) as Call)
  }

  write(call: Call): void {
    this.#append(`${JSON.stringify(call, (_, value: unknown) => WORDS.get(value) ?? value)}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Behind the last whole line: what a full disk or a crash has cut off is written over. */
  #append(line: string): void {
    const bytes = Buffer.from(line)
    let done = 0
    try {
      while (done < bytes.length) done += writeSync(this.#file, bytes, done, bytes.length - done, this.#size + done)
    } catch (error) {
      throw this.#failed(error)
    }
    this.#size += done
  }

  #failed(error: unknown): AvocetError {
    return new AvocetError('AVO_FRONTIER_IO', `${this.#path}: expected a file that can be written, got ${messageOf(error)}`)
  }
}

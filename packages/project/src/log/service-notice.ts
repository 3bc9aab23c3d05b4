// Tells systemd, or what speaks its protocol, how the command is: that it is ready, stops, lives, and what it does (sd_notify(3)).
//
// The protocol is datagrams on a Unix socket, which Node cannot send, so systemd's own program `systemd-notify` is started for each message, a few milliseconds
// each half of the watchdog's time. It waits until systemd has read the message (since version 246), so it is known which unit its process was of; the unit
// needs NotifyAccess=all. Rejected: an addon in C, which would have to be built for each machine. At most one such process runs, for 10 s; what is to be
// said meanwhile is said by the next one. The socket is taken out of the environment: what a spider starts must not speak for the crawl.
import { messageOf, type Clock } from '@avocet/core/store'

/** How often the status is said where no watchdog asks for more. */
const STATUS_MS = 60_000
const PROGRAM = 'systemd-notify'
const MAX_RUN_MS = 10_000
/** systemd cuts longer ones. */
const MAX_STATUS = 500

/** What is told of from time to time. */
export interface Notified {
  /** What it does, in one line. */
  status(): string
  /** Whether it makes the progress that it should make. A watchdog is told nothing while it does not. */
  isWell(): boolean
}

/** Where and how it is told. */
export interface NoticeParts {
  /** Of the process: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are taken out of it. */
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  readonly clock: Pick<Clock, 'now' | 'at'>
  /** Is told once why nothing can be said. */
  tell(line: string): void
}

/** The notices of one command. */
export class ServiceNotice {
  readonly #parts: NoticeParts
  readonly #socket: string
  /** Ms within which the watchdog wants to hear something. Absent: it does not watch. */
  readonly watchdogMs: number | undefined
  /** By variable, in the order in which they came: what the next message says. */
  readonly #pending: Map<string, string> = new Map()
  #isBusy = false
  #hasFailed = false

  private constructor(parts: NoticeParts, socket: string, watchdogMs: number | undefined) {
    this.#parts = parts
    this.#socket = socket
    this.watchdogMs = watchdogMs
  }

  /** Undefined where nobody listens. */
  static of(parts: NoticeParts): ServiceNotice | undefined {
    const { env, pid } = parts
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched = String(pid) } = env
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name]
    if (socket === undefined || socket === '') return undefined
    const watchdogMs = watched === String(pid) ? Number(usec) / 1_000 : 0
    return new ServiceNotice(parts, socket, watchdogMs > 0 ? watchdogMs : undefined)
  }

  /** The crawl has begun. */
  ready(): void {
    this.#say({ READY: '1' })
  }

  /** It ends. */
  stopping(): void {
    this.#say({ STOPPING: '1' })
  }

  /** Tells of it until disposed. */
  watch({ status, isWell }: Notified): Disposable {
    const { clock } = this.#parts
    let timer: Disposable | undefined
    const told = (): void => {
      this.#say({ STATUS: status(), ...(this.watchdogMs !== undefined && isWell() && { WATCHDOG: '1' }) })
      timer = clock.at(clock.now() + this.#everyMs, told)
    }
    timer = clock.at(clock.now() + this.#everyMs, told)
    return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() }
  }

  /** Half of what the watchdog allows, as sd_watchdog_enabled(3) recommends. */
  get #everyMs(): number {
    return Math.min(STATUS_MS, (this.watchdogMs ?? Infinity) / 2)
  }

  #say(variables: Readonly<Record<string, string>>): void {
    if (this.#hasFailed) return
    for (const [name, value] of Object.entries(variables))
      this.#pending.set(name, value.replace(/\s+/g, ' ').slice(0, MAX_STATUS))
    if (!this.#isBusy) this.#send()
  }

  #send(): void {
    const words = [...this.#pending].map(([name, value]) => `${name}=${value}`)
    this.#pending.clear()
    this.#isBusy = true
    const { PATH } = this.#parts.env
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(PROGRAM, words, { env: { PATH, NOTIFY_SOCKET: this.#socket }, stdio: 'ignore', timeout: MAX_RUN_MS })
    child.once('error', (error) => this.#failed(error))
    child.once('close', () => {
      this.#isBusy = false
      if (this.#pending.size > 0) this.#send()
    })
  }

  /** It could not be started. */
  #failed(error: Error): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#pending.clear()
    this.#parts.tell(`the service manager cannot be told of this crawl: ${PROGRAM}: ${messageOf(error)}`)
  }
}

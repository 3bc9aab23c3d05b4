// The listening sockets of a rough web: one an address, all at one port, and none where a host refuses.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { AvocetError } from '@avocet/core'
import { messageOf, type Clock } from '@avocet/core/store'

/** How often a host that refuses at times is looked at. */
const LOOK_EVERY_MS = 20

/** Attempts to find a port that is free at every address. */
const PORT_ATTEMPTS = 5

/** An address, and whether somebody listens there at a moment. */
export interface ListenAddress {
  readonly address: string
  /** `always`, `never`, or a function of the moment (epoch ms). */
  readonly listens: 'always' | 'never' | ((now: number) => boolean)
}

interface PartTime {
  readonly address: string
  readonly port: number
  readonly listens: (now: number) => boolean
}

/** Listening sockets. */
export interface Listeners {
  readonly port: number
  close(): Promise<void>
}

/** Opens all places at one port (0 = any that is free at all of them). Throws AVO_CONFIG_INVALID when an address cannot be had. */
export async function openListeners(
  places: readonly ListenAddress[],
  wanted: { port: number; clock: Clock; onConnection: (socket: Socket) => void },
): Promise<Listeners> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openAt(places, wanted)
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || wanted.port !== 0 || attempt === PORT_ATTEMPTS) throw explained(error)
    }
  }
}

async function openAt(places: readonly ListenAddress[], wanted: Parameters<typeof openListeners>[1]): Promise<Listeners> {
  const servers: Server[] = []
  const looks: Looking[] = []
  const close = async (): Promise<void> => {
    for (const look of looks) look[Symbol.dispose]()
    await Promise.all(servers.map((server) => closed(server)))
  }
  let { port } = wanted
  try {
    for (const place of places) {
      if (place.listens === 'never') continue
      const server = createServer({ allowHalfOpen: true, noDelay: true }, wanted.onConnection)
      servers.push(server)
      // Others follow to the port that the first one got, so one after the other.
      port = await listening(server, place.address, port)
      if (typeof place.listens === 'function')
        looks.push(new Looking(server, { address: place.address, listens: place.listens, port }, wanted.clock))
    }
  } catch (error) {
    await close()
    throw error
  }
  return { port, close }
}

/** Opens and closes a server as its place says. */
class Looking implements Disposable {
  readonly #server: Server
  readonly #place: PartTime
  readonly #clock: Clock
  #next: Disposable

  constructor(server: Server, place: PartTime, clock: Clock) {
    this.#server = server
    this.#place = place
    this.#clock = clock
    // A port that was taken meanwhile is tried again at the next look.
    server.on('error', () => {})
    this.#next = clock.at(clock.now(), this.#look)
  }

  readonly #look = (): void => {
    const { address, port, listens } = this.#place
    const now = this.#clock.now()
    if (listens(now) !== this.#server.listening) {
      if (this.#server.listening) this.#server.close()
      else this.#server.listen({ host: address, port })
    }
    this.#next = this.#clock.at(now + LOOK_EVERY_MS, this.#look)
  };

  [Symbol.dispose](): void {
    this.#next[Symbol.dispose]()
  }
}

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 511 }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

function explained(error: unknown): AvocetError {
  const hint =
    (error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL'
      ? ': a rough web needs all of 127.0.0.0/8 on the loopback interface, as Linux has it; elsewhere add the addresses (macOS: ifconfig lo0 alias 127.42.0.1)'
      : ''
  return new AvocetError('AVO_CONFIG_INVALID', `the rough web cannot listen: ${messageOf(error)}${hint}`, { cause: error })
}

// Addresses at which connecting never ends: listening sockets that nobody accepts from, with their queues full.
//
// Linux drops a SYN when the accept queue is full, so a client stays in SYN_SENT until its own limit. Node accepts whenever its loop turns,
// so the sockets live in a thread whose loop never turns again. Elsewhere than on Linux the client may be refused instead.

/** With this backlog Linux queues two connections; a few more make sure of it. */
const BACKLOG = 1
const FILLERS = 4

// Plain JavaScript, because a worker of text cannot be stripped of types on every Node this runs on.
const LISTEN_AND_FREEZE = `
const { createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
let left = workerData.addresses.length
for (const host of workerData.addresses) {
  createServer()
    .on('error', (error) => { throw error })
    .listen({ host, port: workerData.port, backlog: workerData.backlog }, () => {
      left -= 1
      if (left > 0) return
      parentPort.postMessage('listening')
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })
}`

/** Makes `addresses` swallow connections at `port`. */
export async function openBlackholes(addresses: readonly string[], port: number): Promise<{ close(): Promise<void> }> {
  if (addresses.length === 0) return { close: () => Promise.resolve() }
  const worker = new Worker(LISTEN_AND_FREEZE, { eval: true, workerData: { addresses, port, backlog: BACKLOG } })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
  })
  worker.unref()
  const fillers = addresses.flatMap((host) => Array.from({ length: FILLERS }, () => filler(host, port)))
  return {
    async close() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}

function filler(host: string, port: number): Socket {
  const socket = connect({ host, port })
  // It never gets anywhere; that is what it is for.
  socket.on('error', () => {})
  socket.unref()
  return socket
}

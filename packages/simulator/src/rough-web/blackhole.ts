// Addresses at which connecting never ends: listening sockets that nobody accepts from, with their queues full.
//
// Linux drops a SYN when the accept queue is full, so a client stays in SYN_SENT until its own limit. Node accepts whenever its loop turns,
// so the sockets live in a thread whose loop never turns again. Elsewhere than on Linux the client may be refused instead.
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

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

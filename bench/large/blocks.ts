// Preloaded into `avocet`: the longest CPU time that its thread took between two ticks of a timer, once it has begun, and its peak memory.
import { readFileSync, writeFileSync } from 'node:fs'

const BEGUN_MS = 2_000

let blockMs = 0
let last = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  const ms = (now.user + now.system - last.user - last.system) / 1_000
  last = now
  if (performance.now() > BEGUN_MS) blockMs = Math.max(blockMs, ms)
}, 1).unref()

process.on('exit', () => {
  const figures = { blockMs, peakMb: peakMb(), ms: performance.now() }
  writeFileSync(process.env['LARGE_FIGURES'] ?? '/dev/null', JSON.stringify(figures))
})

/** Of this program: `maxRSS` begins with the memory of the bench that started it. */
function peakMb(): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1_024
}

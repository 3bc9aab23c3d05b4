// Takes the lock of one output again and again, and says how often another process had it meanwhile. Between two rounds it leaves the lock of a dead process.
import { closeSync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { lockOrHolder } from '../src/output-lock.ts'

const [path = '', rounds = '0'] = process.argv.slice(2)
let [had, both] = [0, 0]
for (let round = 0; had < Number(rounds) && round < 1_000_000; round++) {
  const lock = await lockOrHolder(path)
  if (typeof lock === 'number') continue
  had++
  try {
    closeSync(openSync(`${path}.mine`, 'wx'))
    await setImmediate()
    unlinkSync(`${path}.mine`)
  } catch {
    both++
  }
  await lock.release()
  if (had % 2 === 0) leaveDeadLock()
}
process.send?.({ had, both })
process.disconnect()

function leaveDeadLock(): void {
  const own = `${path}.dead.${process.pid}`
  writeFileSync(own, '999999999 1 crawl')
  try {
    linkSync(own, `${path}.lock`)
  } catch {
    // The other process has it.
  }
  unlinkSync(own)
}

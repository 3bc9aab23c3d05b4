// Loaded before the command, in its process: makes it one of another machine, whose wall clock is wrong.
//
// From outside, around what the system says, so that nothing of it is in the code that is tested. FAULTS_BOOT is the id of the machine's boot, by which
// processes know whether they share one; FAULTS_CLOCK_MS is how far its wall clock is ahead.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const BOOT_FILE = '/proc/sys/kernel/random/boot_id'
const { FAULTS_BOOT = '', FAULTS_CLOCK_MS = '0' } = process.env

if (FAULTS_BOOT !== '') {
  const read = fs.readFileSync
  fs.readFileSync = ((path: fs.PathOrFileDescriptor, ...rest: unknown[]) =>
    path === BOOT_FILE ? `${FAULTS_BOOT}\n` : (read as (...words: unknown[]) => unknown)(path, ...rest)) as typeof fs.readFileSync
  syncBuiltinESMExports()
}

const aheadMs = Number(FAULTS_CLOCK_MS)
const wall = Date.now.bind(Date)
Date.now = () => wall() + aheadMs

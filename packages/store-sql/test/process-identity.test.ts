// Whether a process lives: by boot, pid and start time; by silence where nobody can be asked.
import { describe, expect, it } from 'vitest'
import { isAlive, thisProcess } from '../src/process-identity.ts'

const me = thisProcess()

describe('process', () => {
  it('is alive when it is this one', () => {
    expect(isAlive(me, me, true)).toBe(true)
  })

  it('is dead after the machine was started again', () => {
    expect(isAlive({ ...me, boot: 'another' }, me, false)).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is dead when its pid was given to another', () => {
    expect(isAlive({ ...me, started: '1' }, me, false)).toBe(false)
    expect(isAlive({ ...me, pid: 4_194_305 }, me, false)).toBe(false)
  })

  it('in another container counts as dead when it is silent', () => {
    const stranger = { ...me, namespace: 'pid:[1]', pid: 1 }
    expect(isAlive(stranger, me, false)).toBe(true)
    expect(isAlive(stranger, me, true)).toBe(false)
  })

  it('that is another thread of this one counts as dead when it is silent', () => {
    expect(isAlive({ ...me, thread: me.thread + 1 }, me, false)).toBe(true)
    expect(isAlive({ ...me, thread: me.thread + 1 }, me, true)).toBe(false)
  })

  it('without a process table is asked by a signal, and must not be silent', () => {
    const elsewhere = { ...me, started: '' }
    expect(isAlive(elsewhere, elsewhere, false)).toBe(true)
    expect(isAlive(elsewhere, elsewhere, true)).toBe(false)
    expect(isAlive({ ...elsewhere, pid: 4_194_305 }, elsewhere, false)).toBe(false)
  })
})

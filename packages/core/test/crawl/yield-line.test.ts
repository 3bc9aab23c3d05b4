// The line of a suspended generator, and what it costs to find none.
import { runInThisContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { yieldLine } from '../../src/pages/yield-line.ts'

/** A suspended generator in a script of its own, which is of no file. */
function fileless(): Generator {
  const make = runInThisContext('(function* () { yield 1 })') as () => Generator
  const generator = make()
  generator.next()
  return generator
}

/** CPU time of this process, in ms. */
function cpuOf(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a generator of no file', () => {
  it('has no line', () => {
    expect(yieldLine(fileless())).toBeUndefined()
  })

  it('is looked for once: 200 pages of one cost less than one page each of 20', () => {
    const one = fileless()
    yieldLine(one)
    const again = cpuOf(() => {
      for (let n = 0; n < 200; n++) yieldLine(one)
    })
    const first = cpuOf(() => {
      for (let n = 0; n < 20; n++) yieldLine(fileless())
    })

    expect(again).toBeLessThan(first)
  })
})

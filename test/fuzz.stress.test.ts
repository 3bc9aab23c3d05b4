// A part of `npm run fuzz`: each property of its table with counted inputs of one seed, the same in every run; and a fuzzer that sees what is broken.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mutated } from '../bench/fuzz/mutated.ts'
import { commandOf, property } from '../bench/fuzz/property.ts'
import { ALL_PROPERTIES, PROPERTIES } from '../bench/fuzz/table.ts'

const SEED = 4_711

describe('of inputs that nobody thought of,', () => {
  it.each(PROPERTIES.map((each) => [each.what, each] as const))('%s', { timeout: 60_000 }, async (_what, tried) => {
    const { finding, runs } = await tried.check({ seed: SEED })

    expect(finding && { ...finding, again: commandOf(finding) }).toBeUndefined()
    expect(runs).toBe(tried.runs)
  })

  it('each property has a name of its own, which --only can take', () => {
    const names = ALL_PROPERTIES.map(({ name }) => name)

    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([])
  })
})

describe('the fuzzer', () => {
  const broken = property(
    { name: 'broken', what: 'nothing is longer than 5', runs: 100 },
    fc.string(),
    (text) => text.length <= 5,
  )

  it('tells the smallest input that it found, and finds it again by seed and path', async () => {
    const { finding } = await broken.check({ seed: SEED })
    if (finding === undefined) throw new Error('it found nothing')

    expect(finding.input).toMatch(/^"(?:.|\\.){6}"$/)
    expect(commandOf(finding)).toBe(`npm run fuzz -- --only broken --seed ${SEED} --path ${finding.path}`)
    const again = await broken.check({ seed: SEED, path: finding.path })
    expect(again.finding?.input).toBe(finding.input)
  })

  it('tells what was thrown', async () => {
    const throws = property({ name: 'throws', what: 'it is odd', runs: 10 }, fc.nat(), () => {
      throw new Error('never')
    })

    expect((await throws.check({ seed: SEED })).finding?.error).toContain('Error: never')
  })

  it('makes the same mutations of a file for the same seed, none of them endless', () => {
    const recorded = {
      files: [Buffer.from('User-agent: *\nDisallow: /a\n'), Buffer.alloc(20_000, 'x')],
      tokens: ['\0', 'Allow: /'],
    }
    const [first, second] = [1, 2].map(() => fc.sample(mutated(recorded), { seed: SEED, numRuns: 300 }))

    expect(first).toEqual(second)
    expect(new Set(first?.map((bytes) => bytes.toString('latin1'))).size).toBeGreaterThan(150)
    expect(Math.max(...(first ?? []).map((bytes) => bytes.length))).toBeLessThanOrEqual(32 * 1_024)
  })
})

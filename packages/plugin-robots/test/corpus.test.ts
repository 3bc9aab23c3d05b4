// Every row of the robots corpus on which three engines and the upstream test agree, where the corpus is at hand. ROWS of is-allowed.test.ts are the few
// that taught something.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAllowed, parseRobots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly id: number
  readonly robots: string
  readonly robotsBase64?: string
  readonly agent: string
  readonly url: string
  readonly allowed: boolean
  readonly consensus: boolean
}

const FILE = join(import.meta.dirname, '../../../../shared/corpora/robots/cases.json')

describe.skipIf(!existsSync(FILE))('the robots corpus', () => {
  const rows = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as readonly Row[]) : []
  const isRight = ({ robots, robotsBase64, agent, url, allowed }: Row): boolean => {
    const text = robotsBase64 === undefined ? robots : Buffer.from(robotsBase64, 'base64')
    return isAllowed(parseRobots(text), agent, url) === allowed
  }

  it('is answered right wherever the engines agree', () => {
    const agreed = rows.filter(({ consensus }) => consensus)

    expect(agreed.length).toBeGreaterThan(600)
    expect(agreed.filter((row) => !isRight(row)).map(({ id }) => id)).toEqual([])
  })

  it('is answered as its own upstream wants it in four of five rows on which they differ', () => {
    const disputed = rows.filter(({ consensus }) => !consensus)

    expect(disputed.filter(isRight).length / disputed.length).toBeGreaterThan(0.8)
  })
})

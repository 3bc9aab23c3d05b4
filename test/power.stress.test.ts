// A part of `npm run power`: what a power cut leaves is crawled on to its end, and a store with a damaged page is refused or right.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tryPages, type PageVerdict } from '../bench/power/pages.ts'
import { tryPowerCuts, type PowerVerdict } from '../bench/power/power-cuts.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-power-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a power cut', () => {
  it.each(['full', 'normal'] as const)(
    'with %s loses nothing that was promised, and the next run leaves each request, each item and each line once',
    { timeout: 120_000 },
    async (synchronous) => {
      const verdicts: PowerVerdict[] = []
      await tryPowerCuts({ folder: temporaryFolder(), synchronous, images: 12, seed: 'test' }, (verdict) =>
        verdicts.push(verdict),
      )

      expect(verdicts.filter(({ wrong }) => wrong.length > 0)).toEqual([])
      expect(verdicts).toHaveLength(12)
    },
  )
})

describe('a store with a damaged page', () => {
  it('is refused, right, or told of by verify', { timeout: 120_000 }, async () => {
    const verdicts: PageVerdict[] = []
    await tryPages({ folder: temporaryFolder(), kinds: ['garbage', 'swapped'], seed: 'test', oneOf: 3 }, (verdict) =>
      verdicts.push(verdict),
    )

    expect(verdicts.filter(({ wrong }) => wrong.length > 0)).toEqual([])
    expect(verdicts.filter(({ became }) => became === 'refused').length).toBeGreaterThan(10)
  })
})

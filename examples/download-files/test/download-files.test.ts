// The spider saves every file of the site once, also when it is killed in the middle of one.
import { describe, expect, it } from 'vitest'
import { crawlFiles } from '../check.ts'

const MIB = 2 ** 20

describe('download-files', { timeout: 150_000 }, () => {
  it('saves each file once, and has a row for each reference', async () => {
    const { resumedAt, ...result } = await crawlFiles()

    expect(result).toEqual({ items: 12, files: 8, rows: 13, kills: 0, differences: [] })
    expect(resumedAt).toEqual([0])
  })

  it('goes on in the middle of a file when it was killed there', async () => {
    const { resumedAt, ...result } = await crawlFiles({ killAt: 22 * MIB })

    expect(result).toEqual({ items: 12, files: 8, rows: 13, kills: 1, differences: [] })
    expect(resumedAt).toEqual([0, expect.toSatisfy((at: number) => at >= 8 * MIB)])
  })
})

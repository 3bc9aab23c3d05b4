// Some of the named worlds under the policies, with one seed: bench/control/worlds.ts is the whole of it.
import { fixedTimeout } from '@avocet/plugin-adaptive-timeout'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import { worldsTable } from '../../bench/control/worlds.ts'

describe('the worlds', () => {
  it('get no request during a Retry-After, and are not given up while they are well', async () => {
    const rows = await worldsTable({ seeds: 1, quick: true })

    expect(rows.filter(({ holds }) => !holds)).toEqual([])
    expect(rows.filter(({ bar }) => bar !== '–')).toHaveLength(6)
  })

  it('show it when they are given up too soon', async () => {
    const law = fixedTimeout({ ms: 300 })
    const rows = await worldsTable({ seeds: 1, quick: true, policies: (options) => polite({ ...options, timeouts: { law } }) })

    expect(rows.filter(({ holds }) => !holds).map(({ name }) => name)).toContain('recovering-hang: false timeouts')
  })
})

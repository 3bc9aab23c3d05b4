// The plugin contract as tests.
import { describe, expect, it } from 'vitest'
import { checkClock, checkConduct, checkDeterminism, checkOrder, checkResume } from './plugin-checks.ts'
import type { MakePlugins, PluginCheckOptions } from './plugin-checks.ts'

/**
 * Declares the tests that every plugin must pass, on simulated crawls. Needs vitest.
 *
 * @example
 * ```ts
 * import { pluginContract } from '@avocet/testkit/contracts'
 * pluginContract('own-plugin', () => ownPlugin({ perSecond: 2 }))
 * ```
 */
export function pluginContract(name: string, make: MakePlugins, options: PluginCheckOptions = {}): void {
  describe(`plugin contract: ${name}`, () => {
    it('decides the same in any order of plugins', async () => {
      expect(await checkOrder(make, options)).toEqual([])
    })

    it('decides the same for the same seed', async () => {
      expect(await checkDeterminism(make, options)).toEqual([])
    })

    it('writes nothing in admit, remembers plain JSON, sees each booking end once, and never throws', async () => {
      expect(await checkConduct(make, options)).toEqual([])
    })

    it('resumes exactly where a crawl was cut off', async () => {
      expect(await checkResume(make, options)).toEqual([])
    })

    it('loses no page, no host and little time when the clock went back between two runs', async () => {
      expect(await checkClock(make, options)).toEqual([])
    })
  })
}

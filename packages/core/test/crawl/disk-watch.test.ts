// Room on the disk: when it is low, and when it is enough again.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { DiskWatch } from '../../src/store/disk-watch.ts'

describe('a disk', () => {
  it('that was low has room again with a tenth more than that, and is not low before it is below', async () => {
    const clock = new VirtualClock()
    let free = 0
    const watch = new DiskWatch({ freeBytes: () => free }, clock, { recovered() {}, minFreeBytes: 1_000, problem() {} })
    const isLowWith = async (bytes: number): Promise<boolean> => {
      free = bytes
      await clock.advance(5_000)
      return watch.isLow
    }
    const seen: boolean[] = []
    for (const bytes of [1_000, 999, 1_000, 1_099, 1_100, 1_001, 999]) seen.push(await isLowWith(bytes))

    expect(seen).toEqual([false, true, true, true, false, false, true])
  })
})

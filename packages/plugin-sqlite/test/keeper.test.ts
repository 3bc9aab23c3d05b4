// What waits to be written when something is posted to its URL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CacheFile } from '../src/cache/cache-file.ts'
import { Keeper, type Offered } from '../src/cache/keeper.ts'

it('a response that waits for its batch answers no more once something was posted to its URL; others do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-keeper-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'shop.cache')
  const file = await CacheFile.open(path, { readonly: false })
  const keeper = new Keeper({ file, maxBytes: 2 ** 20, problem: () => {} })
  const got = (url: string): Offered => ({
    requested: { method: 'GET', url, headers: { accept: 'text/html' } },
    response: { status: 200, headers: {}, body: Buffer.from('tea'), wireBytes: 3 },
    ...{ handler: 'start', depth: 0, fetchedAt: 0, reuse: '{}', now: 0 },
  })
  keeper.offer(got('http://shop.test/cart'))
  keeper.offer(got('http://shop.test/teas'))

  keeper.outdate({ method: 'POST', url: 'http://shop.test/cart' })
  await keeper.close()

  const kept = await CacheFile.open(path, { readonly: true })
  onTestFinished(() => kept.close())
  const found = ['cart', 'teas'].map((page) => kept.find(got(`http://shop.test/${page}`).requested)?.reuse)
  expect(found).toEqual([null, '{}'])
})

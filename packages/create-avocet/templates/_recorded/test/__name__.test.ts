// Tests the spider on a recorded page. When the site has changed, record the page again (`avocet fetch URL -o FILE`) and see what fails.
import { readFile } from 'node:fs/promises'
import { readPage } from '@avocet/simulator'
import { expect, it } from 'vitest'
import spider from '../spiders/__name__.ts'

/** Where the page was recorded. */
const PAGE = '__page__'

it('__claim__', async () => {
  const body = await readFile(new URL('./pages/__name__.html', import.meta.url))

  const found = await readPage(spider, { url: PAGE, body, headers: { 'content-type': __type__ } })

  expect(found.items).toEqual([{ title: __title__, url: PAGE }])
  expect(found.links.map(({ url }) => url)).toEqual(__next__)
})

// What a page that is asked again for a secret hands out: its URLs, in whatever form handlers find them there.
import { link, type Spider } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { pathSpider, type Ran } from '../harness.ts'
import { emptyStore, ran, sentUrls, SHOP, site, type Script } from '../sessions/session-shop.ts'

/** A run that found `/a?x=1&sid=old`, and one that goes on while the page says `body`. */
async function resumed(type: string, body: string): Promise<Ran> {
  const store = emptyStore()
  const following: Spider['handlers'] = {
    *start(visited) {
      if (visited.url.pathname === '/') yield link('/a?x=1&sid=old')
    },
  }
  const spider = pathSpider([], { seeds: [`${SHOP}/`], handlers: following })
  const script: Script = { '/': { headers: { 'content-type': type }, body }, '/a?x=1&sid=new': {} }
  await ran(store, site({ ...script, '/': {} }), { maxPages: 1, spider })
  return ran(store, site(script), { spider })
}

describe('a value that a page hands out', () => {
  it.each([
    ['JSON', 'application/json', '{"next":"/a?x=1&sid=new"}'],
    ['JSON with an escaped ampersand', 'application/json', String.raw`{"next":"/a?x=1\u0026sid=new"}`],
    ['JSON with escaped slashes', 'application/json', String.raw`{"next":"https:\/\/shop.test\/a?x=1&sid=new"}`],
    ['JSON with a relative URL', 'application/json', '{"next":"a?x=1&sid=new"}'],
    ['a sitemap', 'application/xml', '<urlset><url><loc>https://shop.test/a?x=1&amp;sid=new</loc></url></urlset>'],
    ['a link', 'text/html', '<a href="a?x=1&amp;sid=new">a</a>'],
    ['another attribute', 'text/html', '<div data-href="/a?x=1&amp;sid=new"></div>'],
    ['an attribute with a number for the ampersand', 'text/html', '<div data-href="/a?x=1&#38;sid=new"></div>'],
    ['an attribute without quotes', 'text/html', '<div data-href=/a?x=1&amp;sid=new></div>'],
    ['a form', 'text/html', '<form action="a?x=1&sid=new"></form>'],
    ['a script', 'text/html', String.raw`<script>go('\/a?x=1\x26sid=new')</script>`],
  ])('is found in %s', async (_what, type, body) => {
    const second = await resumed(type, body)

    expect(sentUrls(second)).toEqual(['/', '/a?x=1&sid=new'])
  })

  it.each([
    ['code that only looks like a query', '<script>x=n?sid=t:0,y=n.o?sid=t:1</script>'],
    ['a template', '<script>go(`/a?sid=${sid}`);go("/a?sid={{sid}}")</script>'],
    ['a value that is put together later', `<script>go('/a?sid='+sid)</script>`],
    [
      'a URL of another origin',
      '<div data-href=https://else.test/a?sid=theirs></div><script>go("//else.test/?sid=theirs")</script>',
    ],
  ])('is not %s', async (_what, body) => {
    const second = await resumed('text/html', body)

    expect(sentUrls(second)).toEqual(['/'])
    expect(second.report.problems.map(({ message }) => message).join()).toContain(
      `${SHOP}/ was asked again and handed out none in its URLs`,
    )
  })

  it('is looked for in the beginning of a large page, and the report says so', async () => {
    const second = await resumed('text/html', `<!-- ${'x'.repeat(600 * 1024)} -->`)

    expect(second.report.problems.map(({ message }) => message).join()).toContain('none in the first 512 KiB of its URLs')
  })
})

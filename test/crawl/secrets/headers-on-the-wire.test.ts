// What a server really gets, on a socket: each header field once, whoever wrote it in whatever case.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crawl, link } from 'avocet'
import { expect, it, onTestFinished } from 'vitest'
import { pathSpider } from '../harness.ts'

it("sends one User-Agent, the link's own", async () => {
  const got: string[][] = []
  const server = createServer((request, response) => {
    got.push(request.rawHeaders)
    response.setHeader('content-type', 'text/html').end('ok')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const spider = pathSpider([`${url}/`], {
    handlers: {
      *start(page) {
        if (page.url.pathname === '/') yield link('/x', { headers: { 'User-Agent': 'mine', ACCEPT: 'text/plain' } })
      },
    },
  })

  await crawl({ policies: [], spider, delayMs: 0 }).run()

  const [, own = []] = got
  const values = (name: string): string[] => own.filter((_, index) => index % 2 === 1 && own[index - 1]?.toLowerCase() === name)
  expect(values('user-agent')).toEqual(['mine'])
  expect(values('accept')).toEqual(['text/plain'])
})

// A site of one page, for what is measured on a crawl of one.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves it while `work` runs, at the address that it gets. */
export async function withOnePage<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const site = createServer(({ url }, response) => {
    response.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end('<title>One</title><h1>One page</h1>')
  })
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  } finally {
    site.close()
  }
}

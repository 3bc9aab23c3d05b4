// The fetcher of this example holds the fetcher contract, over a folder with the pages of its web.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Fetcher } from '@avocet/core/store'
import type { SiteModel } from '@avocet/simulator'
import { fetcherContract, type FetcherOnWeb } from '@avocet/testkit/contracts'
import { mirror } from '../mirror.ts'

fetcherContract('a mirror', async (model) => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-mirror-'))
  for (const url of model.urls()) writePage(folder, url, model)
  const { fetcher, requests } = counted(mirror(folder))
  return {
    fetcher,
    model,
    isRecorded: true,
    felt: (host) => ({ requests: requests(host) }),
    run: (work) => work(),
    close: async () => rmSync(folder, { recursive: true }),
  } satisfies FetcherOnWeb
})

function writePage(folder: string, url: string, model: SiteModel): void {
  const { host, hostname, pathname } = new URL(url)
  const file = join(folder, host, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, model.page(hostname, pathname)?.body ?? '')
}

/** `fetcher`, and what each host of the mirror was asked. */
function counted(fetcher: Fetcher): { readonly fetcher: Fetcher; requests(host: string): number } {
  const counts = new Map<string, number>()
  const fetch: Fetcher['fetch'] = (outbound, receiver) => {
    const { hostname } = new URL(outbound.url)
    const sent = (): void => {
      counts.set(hostname, (counts.get(hostname) ?? 0) + 1)
      receiver.sent()
    }
    return fetcher.fetch(outbound, { ...receiver, sent })
  }
  return { fetcher: { ...fetcher, fetch }, requests: (host) => counts.get(host) ?? 0 }
}

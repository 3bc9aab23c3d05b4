// The undici fetcher holds the fetcher contract, over the rough web.
import { systemClock } from '@avocet/core/store'
import type { SiteModel } from '@avocet/simulator'
import { startRoughWeb } from '@avocet/stress/rough-web'
import { savedBodies } from '@avocet/stress/fetcher'
import { fetcherContract, type FetcherOnWeb } from '@avocet/testkit/contracts'
import { undiciFetcher } from '../src/undici-fetcher.ts'

fetcherContract('undici over the rough web', overRoughWeb)
savedBodies('undici over the rough web', overRoughWeb)

async function overRoughWeb(model: SiteModel): Promise<FetcherOnWeb> {
  const web = await startRoughWeb(model)
  const fetcher = undiciFetcher({ clock: systemClock(), limits: { maxWireBytes: 2 ** 20 } })
  return {
    fetcher,
    model: web.model,
    felt: (host) => web.felt(host),
    run: (work) => work(),
    async close() {
      await fetcher.close()
      await web.close()
    },
  }
}

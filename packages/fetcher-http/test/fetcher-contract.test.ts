// The undici fetcher holds the fetcher contract, over the rough web.
import { systemClock } from '@avocet/core/store'
import { startRoughWeb } from '@avocet/simulator/rough-web'
import { fetcherContract } from '@avocet/testkit/contracts'
import { undiciFetcher } from '../src/undici-fetcher.ts'

fetcherContract('undici over the rough web', async (model) => {
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
})

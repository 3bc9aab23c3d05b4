// The simulated web is a fetcher like any other: it passes the fetcher's contract, on virtual time.
import { simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { savedBodies } from '@avocet/stress/fetcher'
import { fetcherContract, type FetcherOnWeb } from '../src/contracts/fetcher-contract.ts'

fetcherContract('simulated web', simulated)
savedBodies('simulated web', simulated)

function simulated(model: SiteModel): Promise<FetcherOnWeb> {
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock, sizeLimits: { maxWireBytes: 2 ** 20 } })
  return Promise.resolve({
    fetcher: web,
    model,
    felt: (host: string) => web.felt(host),
    run: <T>(work: () => Promise<T>) => clock.run(work),
    close: () => web.close(),
  })
}

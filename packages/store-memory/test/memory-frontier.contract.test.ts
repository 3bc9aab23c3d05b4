// The memory frontier is a frontier.
import { memoryFrontier } from '../src/index.ts'
import { frontierDetails } from '@avocet/stress/frontier'
import { frontierContract } from '@avocet/testkit/contracts'

frontierContract(
  'memory',
  () => {
    const frontier = memoryFrontier()
    return { frontier: () => frontier, dispose: () => frontier.close() }
  },
  { shared: false },
)

frontierDetails(
  'memory',
  () => {
    const frontier = memoryFrontier()
    return { frontier: () => frontier, dispose: () => frontier.close() }
  },
  { shared: false },
)

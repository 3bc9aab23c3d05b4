// The memory frontier is a frontier.
import { memoryFrontier } from '../src/index.ts'
import { frontierDetails } from '@avocet/stress/frontier'
import { dumpContract, frontierContract } from '@avocet/testkit/contracts'

frontierContract(
  'memory',
  () => {
    const frontier = memoryFrontier()
    return { frontier: () => frontier, dispose: () => frontier.close() }
  },
  { shared: false },
)

dumpContract('memory', () => {
  const frontier = memoryFrontier()
  return { frontier: () => frontier, dispose: () => frontier.close() }
})

frontierDetails(
  'memory',
  () => {
    const frontier = memoryFrontier()
    return { frontier: () => frontier, dispose: () => frontier.close() }
  },
  { shared: false },
)

// Whether the value that a file exports is a configuration.
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { configProblem } from '@avocet/core/tools'

/**
 * The value itself, if it is a configuration. A spider in it is checked on its own.
 *
 * @throws AVO_CONFIG_INVALID.
 */
export function checkConfig(value: unknown, from: string): Partial<CrawlConfig> {
  const problem = configProblem(value)
  if (problem === undefined) return value as Partial<CrawlConfig>
  throw new AvocetError('AVO_CONFIG_INVALID', `${from}: ${problem}`)
}

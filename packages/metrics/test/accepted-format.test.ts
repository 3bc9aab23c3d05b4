// Which format a client gets, by what it accepts.
import { expect, it } from 'vitest'
import { acceptedFormat } from '../src/metrics-server.ts'

const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

it.each([
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ['text/plain', 'text'],
  ['text/plain;version=0.0.4', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['APPLICATION/OpenMetrics-Text; Version=1.0.0', 'openmetrics'],
  [PROMETHEUS_2, 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
  ['application/openmetrics-text;q=0.2,text/plain;q=0.9', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=nonsense', 'text'],
  ['application/openmetrics-text;version=2.0.0', 'text'],
  ['text/plain;version=0.0.4;q=0.2,application/openmetrics-text;version=1.0.0;q=0.2', 'openmetrics'],
  [','.repeat(100_000), 'text'],
] as const)('%s gets %s', (accept, format) => {
  expect(acceptedFormat(accept)).toBe(format)
})

// The promises of every plugin, with a tracer and a meter that take what they are given.
import { pluginContract } from '@avocet/testkit/contracts'
import { openTelemetry } from '../src/index.ts'
import { sdk } from './sdk.ts'

pluginContract('opentelemetry', () => openTelemetry({ ...sdk().given, sampleRatio: 0.5 }))
pluginContract('opentelemetry, without an SDK', () => openTelemetry())

// The one door of @avocet/plugin-opentelemetry.
export { openTelemetry } from './open-telemetry.ts'
export type { OpenTelemetryOptions } from './settings.ts'

// The one door of @avocet/plugin-opentelemetry.
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts'

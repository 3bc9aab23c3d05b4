// The one door of @avocet/plugin-breaker.
export {}

// The one door of @avocet/plugin-retry.
export {}

// The one door of @avocet/plugin-adaptive-timeout.
export {}

// The one door of @avocet/plugin-robots.
export {}

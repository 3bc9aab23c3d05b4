// Time in the browser: the only file of the page that touches timers.

/** Epoch ms by the browser's clock. */
export function browserNow(): number {
  return Date.now()
}

/** Calls `wake` once, after so many ms; returns what forgets it. */
export function laterOn(ms: number, wake: () => void): () => void {
  const timer = setTimeout(wake, ms)
  return () => clearTimeout(timer)
}

/** Calls `draw` before the next frame, once however often it is asked for meanwhile. */
export function onNextFrame(draw: () => void): () => void {
  let isAsked = false
  return () => {
    if (isAsked) return
    isAsked = true
    requestAnimationFrame(() => {
      isAsked = false
      draw()
    })
  }
}

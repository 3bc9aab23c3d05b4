// For files that a killed process has left: whether its process is there.

/** Whether there is a process of this id, whichever it is. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Not ours to signal, so it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

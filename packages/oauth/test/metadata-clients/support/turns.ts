/** Takes turns of the event loop until something holds, by no timer: those of a test may be replaced. */
export async function until(holds: () => boolean): Promise<void> {
  const latest = performance.now() + 5000
  while (!holds()) {
    if (performance.now() > latest) throw new Error(`never held: ${holds}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lets sockets do what they have to do. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

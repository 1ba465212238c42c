let time = Date.UTC(2026, 0, 1)

/** The clock of the stores in memory, which their kits move: nothing waits in earnest. */
export const kitClock = {
  now: () => time,
  wait: async (milliseconds: number) => {
    // What was sent late takes effect meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 0))
    time += milliseconds
  },
}

/**
 * Calls a listener. What it throws or rejects with is ignored: a log that is full must neither let anyone in nor keep
 * anyone out.
 */
export function notify<Value>(listener: (value: Value) => unknown, value: Value): void {
  void settle(listener, value)
}

async function settle<Value>(listener: (value: Value) => unknown, value: Value): Promise<void> {
  try {
    await listener(value)
  } catch {
    // The listener has a log of its own, or none.
  }
}

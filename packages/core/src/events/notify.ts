/** Calls a listener and ignores its errors and rejections: a full log must neither admit nor refuse a request. */
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

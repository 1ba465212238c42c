/**
 * Delivers messages to every process that listens. Messages are not stored: a process that does not listen at that
 * moment never receives the message. So publish a hint, for example an id, and read the data from its store.
 */
export interface Broadcast {
  /**
   * Delivers a message to all listeners of the topic, in all processes including this one.
   *
   * @param message at most 2000 bytes of UTF-8.
   * @throws StoreError `STORE_UNAVAILABLE` when it may not have been delivered; TypeError when the message is too long.
   */
  publish(topic: string, message: string): Promise<void>
  /**
   * Returns the messages of a topic: all that are published after this resolves, and perhaps one from just before, which
   * was still on its way. The iteration ends with `return`, and
   * throws a `StoreError` `STORE_UNAVAILABLE` as soon as a message may have been missed: the connection was lost, or
   * too many messages were unread. Then listen again, and read the data again.
   *
   * @throws StoreError `STORE_UNAVAILABLE` when listening is not possible.
   */
  listen(topic: string): Promise<AsyncIterableIterator<string>>
  /** Finishes all iterations. */
  close(): Promise<void>
}

/**
 * Tells every process that listens what has just happened. It keeps nothing: whoever does not listen at that moment never
 * hears of it. So a message is a hint, such as an id, and what it is about is read where it is kept.
 */
export interface Broadcast {
  /**
   * Tells all who listen to the topic, in all processes, this one included.
   *
   * @param message at most 2000 bytes of UTF-8.
   * @throws StoreError `STORE_UNAVAILABLE` when it may not have been told; TypeError when the message is too long.
   */
  publish(topic: string, message: string): Promise<void>
  /**
   * Gives the messages of a topic, from the moment on at which this resolves. The iteration ends when it is returned,
   * and throws a `StoreError` `STORE_UNAVAILABLE` as soon as a message may have been missed: the connection was lost, or
   * more messages wait to be read than are kept. Then listen again, and read again what matters.
   *
   * @throws StoreError `STORE_UNAVAILABLE` when nobody could be listened to.
   */
  listen(topic: string): Promise<AsyncIterableIterator<string>>
  /** Ends all iterations. */
  close(): Promise<void>
}

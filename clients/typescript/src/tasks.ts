/** Waits for long work. */

import { type CallOptions, Resource, path } from "./core.js";
import { TaskFailed, TimeoutError } from "./errors.js";
import type { Task } from "./types.js";

/** What a call that waits has of its own. */
export interface WaitOptions extends CallOptions {
  /** Called with the task about each second. */
  onProgress?: (task: Task) => void;
  /** How many milliseconds to wait. Without it, as long as it takes. */
  waitFor?: number;
}

/** Adds waiting to the methods of tasks. */
export class TaskWaiting extends Resource {
  /**
   * Wait until a task has succeeded, and return it with its result.
   *
   * @param task The id of a task, or what started it: `client.tasks.wait(await client.products.batch(...))`.
   * @throws TaskFailed if the task failed, or was cancelled.
   */
  async wait(task: string | { id: string }, options: WaitOptions = {}): Promise<Task> {
    const { onProgress, waitFor, ...rest } = options;
    const id = typeof task === "string" ? task : task.id;
    const deadline = waitFor === undefined ? Infinity : Date.now() + waitFor;
    for (;;) {
      const left = Math.max(0, Math.floor((deadline - Date.now()) / 1000));
      // With progress to show, the service is asked again each second.
      const query = { wait: Math.min(onProgress ? 1 : 30, left) };
      const current = await this.http.call<Task>({ method: "GET", path: path`/tasks/${id}`, query }, rest);
      onProgress?.(current);
      if (current.status === "succeeded") return current;
      if (current.status !== "queued" && current.status !== "running") {
        throw new TaskFailed(`The task ${id} is ${current.status}. ${current.error?.detail ?? ""}`.trim(), current);
      }
      if (Date.now() >= deadline) throw new TimeoutError(`The task ${id} is still ${current.status}.`);
    }
  }
}

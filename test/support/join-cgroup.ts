// Loaded into the sidecar by `--import` in tests: puts the process into a control group before it does anything
// else, as a container's runtime does.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = process.env['TEST_CGROUP'];
if (isMainThread && folder !== undefined) writeFileSync(join(folder, 'cgroup.procs'), `${process.pid}`);

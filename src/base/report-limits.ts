// Caps of a report over record files, each with the reason for its value. A record file may be larger than memory, and
// a report is a page that somebody opens.

/** Exchanges of a class whose lengths are kept for percentiles, the latest; 40 MiB for each class that has so many. */
export const REPORT_EXCHANGES_MAX_COUNT = 50_000;
/** Gaps of a class that are kept for percentiles and shape, the latest; 8 MiB for each class that has so many. */
export const REPORT_GAPS_MAX_COUNT = 1_000_000;
/** Columns of the heatmap: about as many as a screen shows. Longer times get wider columns. */
export const REPORT_COLUMNS_MAX_COUNT = 600;
/** Narrowest column: the live page's own. */
export const REPORT_COLUMN_LEAST_MS = 1_000;
/** Exchanges that can be opened in the page, unless asked for otherwise; some ten MiB at most. */
export const REPORT_WORST_DEFAULT_COUNT = 20;
/** And the most that can be asked for: each may be half a MiB. */
export const REPORT_WORST_MAX_COUNT = 200;
/** Chunks of one exchange in the page; of longer ones every so many are left out. A chart has 2,000 columns. */
export const REPORT_CHUNKS_MAX_COUNT = 4_096;
/** Classes and causes in the table of stalls: closed sets, and a file may be of many configurations. */
export const REPORT_CAUSE_ROWS_MAX_COUNT = 400;
/** Lines that could not be read and are named one by one. */
export const REPORT_FAULTS_NAMED_COUNT = 5;
/** Between two lines of progress. */
export const REPORT_PROGRESS_MS = 2_000;

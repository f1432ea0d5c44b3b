<?php
// Asks an installed Moodle 4.5 what it makes of drawn classes (drawn_moodle.py), by its own interfaces.
//
//   php -d max_input_vars=5000 ask.php MOODLE FOLDER build|import
//
// Enters: FOLDER/*/class.json, for `import` also FOLDER/*/graded/gradebook.csv and feedback.zip. Leaves, of build: download.zip,
// and asked.json (course, module, users). Of sheet (with one class's folder): the grading worksheet on standard output, in one of the
// languages of the site. Of import:
// stored.json: the grade and the titles of the feedback pages that Moodle's database has for each person.
define('CLI_SCRIPT', true);
require($argv[1] . '/config.php');
require_once($CFG->dirroot . '/mod/assign/locallib.php');
require_once($CFG->dirroot . '/group/lib.php');
require_once($CFG->libdir . '/testing/generator/lib.php');
require_once($CFG->libdir . '/phpunit/classes/util.php');
require_once($CFG->libdir . '/csvlib.class.php');
require_once($CFG->libdir . '/tablelib.php');
require_once($CFG->dirroot . '/mod/assign/feedback/offline/importgradeslib.php');
require_once($CFG->dirroot . '/mod/assign/feedback/file/importziplib.php');
\core\session\manager::set_user(get_admin());

class listed_downloader extends \mod_assign\downloader {
    // The files under the names that "Download all submissions" gives them, written by Moodle's own writer.
    public function write(string $file): bool {
        if (!$this->load_filelist()) return false;
        ob_start();
        $writer = \core_files\archive_writer::get_stream_writer(basename($file), \core_files\archive_writer::ZIP_WRITER);
        foreach ($this->filesforzipping as $path => $content) {
            if ($content instanceof stored_file) $writer->add_file_from_stored_file($path, $content);
            else $writer->add_file_from_string($path, reset($content));
        }
        $writer->finish();
        file_put_contents($file, ob_get_clean());
        return true;
    }
}

function assignment_of($cmid) {
    global $PAGE, $OUTPUT;
    [$course, $cm] = get_course_and_cm_from_cmid($cmid, 'assign');
    $assign = new assign(context_module::instance($cm->id), $cm, $course);
    $PAGE = new moodle_page();  // each page is written once
    $OUTPUT = new bootstrap_renderer();
    $PAGE->set_url('/mod/assign/view.php', ['id' => $cm->id]);
    $PAGE->set_cm($cm, $course);
    $PAGE->set_context($assign->get_context());
    return $assign;
}

// In which of the site's languages a class is exported and imported.
function speak_as_drawn($folder) {
    $installed = array_keys(get_string_manager()->get_list_of_translations());
    sort($installed);
    force_current_language($installed[crc32(basename($folder)) % count($installed)]);
}

function draft_of($files) {
    global $USER;
    $draft = file_get_unused_draft_itemid();
    foreach ($files as $name => $bytes) {
        $folder = dirname($name) === '.' ? '/' : '/' . dirname($name) . '/';
        get_file_storage()->create_file_from_string(['contextid' => context_user::instance($USER->id)->id, 'component' => 'user',
            'filearea' => 'draft', 'itemid' => $draft, 'filepath' => $folder, 'filename' => basename($name)], $bytes);
    }
    return $draft;
}

function hand_in($assign, $user, $work) {
    \core\session\manager::set_user($user);
    $files = array_map('base64_decode', (array)$work->files);
    $data = (object)['userid' => $user->id, 'id' => $assign->get_course_module()->id, 'lastmodified' => time() + 9,
        'onlinetext_editor' => ['text' => $work->text, 'format' => FORMAT_HTML, 'itemid' => file_get_unused_draft_itemid()]];
    if ($files) $data->files_filemanager = draft_of($files);
    $notices = [];
    $assign->save_submission($data, $notices);
    if (!$work->draft) $assign->submit_for_grading((object)['userid' => $user->id, 'submissionstatement' => 1], $notices);
    if ($notices) fwrite(STDERR, json_encode($notices) . "\n");
    \core\session\manager::set_user(get_admin());
}

function build($folder) {
    global $DB;
    $class = json_decode(file_get_contents("$folder/class.json"));
    $gen = new testing_data_generator();
    $course = $gen->create_course(['fullname' => 'GPU programming', 'shortname' => 'gpu ' . uniqid()]);
    $users = [];
    foreach ($class->people as $i => $p) {
        $users[$i] = $gen->create_user(['firstname' => $p->first, 'lastname' => $p->last, 'email' => $p->email, 'idnumber' => $p->id,
            'username' => 'u' . uniqid() . $i]);
        $gen->enrol_user($users[$i]->id, $course->id, 'student');
    }
    foreach ($class->teams as $team) {
        $group = $gen->create_group(['courseid' => $course->id, 'name' => $team->name]);
        foreach ($team->members as $m) groups_add_member($group->id, $users[$m]->id);
    }
    $module = $gen->create_module('assign', ['course' => $course->id, 'name' => 'Chapter 05', 'duedate' => $class->due, 'submissiondrafts' => 1,
        'grade' => $class->most, 'blindmarking' => (int)$class->blind, 'teamsubmission' => (int)($class->teams !== []), 'markingworkflow' => (int)$class->workflow,
        'assignsubmission_file_enabled' => 1, 'assignsubmission_file_maxfiles' => 9, 'assignsubmission_file_maxsizebytes' => 1000000,
        'assignsubmission_onlinetext_enabled' => 1, 'assignfeedback_comments_enabled' => 1, 'assignfeedback_file_enabled' => 1, 'assignfeedback_offline_enabled' => 1]);
    $cm = get_coursemodule_from_instance('assign', $module->id);
    $assign = assignment_of($cm->id);
    foreach ($class->work as $work) {
        hand_in($assign, $users[$work->who], $work);
        $submission = $class->teams ? $assign->get_group_submission($users[$work->who]->id, 0, false) : $assign->get_user_submission($users[$work->who]->id, false);
        if ($submission) $DB->set_field('assign_submission', 'timemodified', $work->time, ['id' => $submission->id]);
    }
    foreach ($class->people as $i => $p) if ($p->extension) $assign->save_user_extension($users[$i]->id, $p->extension);
    set_user_preference('assign_downloadasfolders', (int)$class->folders);
    $assign = assignment_of($cm->id);
    (new listed_downloader($assign, null))->write("$folder/download.zip");
    file_put_contents("$folder/asked.json", json_encode(['cm' => $cm->id, 'users' => array_map(fn($u) => $u->id, $users)]));
}

function import($folder) {
    global $USER;
    $asked = json_decode(file_get_contents("$folder/asked.json"));
    speak_as_drawn($folder);
    $assign = assignment_of($asked->cm);
    $said = [];
    $_POST['sesskey'] = sesskey();
    if (is_file("$folder/graded/gradebook.csv")) {
        $html = $assign->get_feedback_plugin_by_type('offline')->process_import_grades(draft_of(['s.csv' => file_get_contents("$folder/graded/gradebook.csv")]),
            csv_import_reader::get_new_iid('assignfeedback_offline'), false, 'utf-8', 'comma');
        $said[] = preg_match('/Updated \d+ grades[^.<]*/', strip_tags($html), $m) ? $m[0] : 'no summary';
    }
    if (is_file("$folder/graded/feedback.zip")) {
        $assign = assignment_of($asked->cm);
        $importer = new assignfeedback_file_zip_importer();
        $context = $assign->get_context();
        $importer->delete_import_files($context->id);
        $zip = get_file_storage()->create_file_from_pathname(['contextid' => context_user::instance($USER->id)->id, 'component' => 'user', 'filearea' => 'draft',
            'itemid' => file_get_unused_draft_itemid(), 'filepath' => '/', 'filename' => 'f.zip'], "$folder/graded/feedback.zip");
        $importer->extract_files_from_zip($zip, $context->id);
        $importer->import_zip_files($assign, $assign->get_feedback_plugin_by_type('file'));
        $importer->delete_import_files($context->id);
    }
    $stored = [];
    foreach ($asked->users as $i => $id) {
        $grade = $assign->get_user_grade($id, false);
        $titles = [];
        if ($grade) foreach (get_file_storage()->get_area_files($assign->get_context()->id, 'assignfeedback_file', 'feedback_files', $grade->id, 'id', false) as $file)
            if (preg_match('/<title>([^<]*)/', $file->get_content(), $m)) $titles[] = html_entity_decode($m[1], ENT_QUOTES | ENT_HTML5);
        $stored[] = ['grade' => $grade && $grade->grade !== null && $grade->grade >= 0 ? (float)$grade->grade : null, 'pages' => $titles];
    }
    file_put_contents("$folder/stored.json", json_encode(['said' => $said, 'people' => $stored], JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT));
}

if ($argv[3] === 'sheet') {
    speak_as_drawn($argv[2]);
    $assign = assignment_of(json_decode(file_get_contents("$argv[2]/asked.json"))->cm);
    $assign->get_feedback_plugin_by_type('offline')->view_page('downloadgrades');
    exit;
}
set_config('timezone', 'Europe/Berlin');
set_config('forcetimezone', 'Europe/Berlin');
set_config('showuseridentity', 'email,idnumber');
foreach (glob("$argv[2]/*/class.json") as $class) {
    try {
        $argv[3] === 'build' ? build(dirname($class)) : import(dirname($class));
    } catch (Throwable $e) {
        fwrite(STDERR, dirname($class) . ': ' . $e->getMessage() . "\n");
    }
}

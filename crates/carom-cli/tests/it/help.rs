//! Help for each command, and wrong use.

use crate::run::{carom, stderr, stdout};

#[test]
fn every_command_has_help_with_an_example() {
    let commands = [
        "demo",
        "check",
        "distance",
        "sweep",
        "ray",
        "trace",
        "info",
        "sdf",
        "simplify",
        "decompose",
        "pairs",
        "batch",
        "completions",
        "man",
    ];
    for command in commands {
        let output = carom(&format!("{command} --help"));
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        assert!(
            text.contains("Example") && text.contains(&format!("carom {command}"))
                || text.contains("| carom batch"),
            "{text}"
        );
        assert!(stdout(&carom("--help")).contains(command));
    }
    assert_eq!(carom("--version").status.code(), Some(0));
}

#[test]
fn wrong_use_is_an_error() {
    for arguments in [
        "",
        "juggle",
        "distance",
        "distance sphere:1",
        "sweep sphere:1 sphere:1",
        "check",
        "ray cube.obj",
        "trace level.map --from 0,0,0",
        "check scene.json --nonsense",
    ] {
        let output = carom(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(!stderr(&output).is_empty() && output.stdout.is_empty());
    }
}

#[test]
fn scripts_for_shells_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = carom(&format!("completions {shell}"));
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = stdout(&output);
        let has = |word: &&str| script.contains(*word);
        assert!(["check", "decompose", "completions", "clearance"].iter().all(has), "{shell}");
    }
    assert_eq!(carom("completions tcsh").status.code(), Some(2));
}

#[test]
fn the_script_for_bash_completes() {
    let script = stdout(&carom("completions bash"));
    let query = "COMP_WORDS=(carom dec) COMP_CWORD=1; _carom carom dec carom; echo \"${COMPREPLY[@]}\"";
    let bash = std::process::Command::new("bash").args(["-c", &format!("{script}\n{query}")]).output();
    let Ok(bash) = bash else { return println!("no bash here") };
    assert_eq!(stdout(&bash).trim(), "decompose", "{}", stderr(&bash));
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = stdout(&carom("man"));
    assert!(page.contains(".TH carom 1") && page.contains("DESCRIPTION"), "{page}");
    assert!(["check", "decompose", "man"].iter().all(|name| page.contains(name)), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let output = carom(&format!("man -o {}", folder.path().join("man1").display()));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let check = std::fs::read_to_string(folder.path().join("man1/carom-check.1")).unwrap();
    assert!(check.contains("clearance") && check.contains("Examples"), "{check}");
    assert!(folder.path().join("man1/carom-man.1").exists());
}
